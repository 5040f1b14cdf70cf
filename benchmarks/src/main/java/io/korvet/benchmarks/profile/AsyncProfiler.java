package io.korvet.benchmarks.profile;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** async-profiler, loaded into another JVM of this machine; its native library comes out of its Maven artifact. */
public final class AsyncProfiler {

    private final long pid;
    private final Path library;

    private AsyncProfiler(long pid, Path library) {
        this.pid = pid;
        this.library = library;
    }

    /** Makes ready to profile a process; the library is put into a folder, where it must stay. */
    public static AsyncProfiler of(long pid, Path folder) throws IOException {
        String platform = System.getProperty("os.arch").equals("aarch64") ? "linux-arm64" : "linux-x64";
        Path library = folder.resolve("libasyncProfiler.so");
        try (InputStream in = AsyncProfiler.class.getResourceAsStream("/" + platform + "/libasyncProfiler.so")) {
            if (in == null) {
                throw new IOException("no async-profiler for " + platform + " on the class path");
            }
            Files.copy(in, library, StandardCopyOption.REPLACE_EXISTING);
        }
        return new AsyncProfiler(pid, library);
    }

    /** Begins to take samples of an event: ctimer (CPU time without perf events), wall, alloc, lock. */
    public void start(String event) throws IOException {
        command("start,threads,event=" + event + ",interval=" + (event.equals("alloc") ? "64k" : "1ms"));
    }

    /** Ends it: writes one line per stack, thread first, and a flame graph. */
    public void stop(Path collapsed, Path flameGraph) throws IOException {
        command("dump,threads,collapsed,file=" + collapsed);
        command("stop,threads,flamegraph,file=" + flameGraph);
    }

    private void command(String options) throws IOException {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
            try {
                machine.loadAgentPath(library.toString(), options);
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException | AgentLoadException | AgentInitializationException failure) {
            throw new IOException("profiler command '" + options + "' failed in process " + pid, failure);
        }
    }
}
