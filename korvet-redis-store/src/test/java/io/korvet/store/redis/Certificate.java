package io.korvet.store.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A certificate that signs itself, made by the JDK's keytool, as files for a server and for those who trust it. */
public final class Certificate {

    /** The password of the trust store. */
    public static final String PASSWORD = "changeit";

    private final Path folder;

    /**
     * Makes one.
     *
     * @param names whom it is for, such as {@code ip:127.0.0.1}
     */
    public Certificate(Path folder, String names) {
        this.folder = folder;
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path keys = folder.resolve("keys.p12");
        keytool(
                "-genkeypair",
                "-keyalg",
                "RSA",
                "-dname",
                "CN=redis",
                "-ext",
                "san=" + names,
                "-keystore",
                keys.toString());
        try (InputStream in = Files.newInputStream(keys);
                OutputStream out = Files.newOutputStream(trustStore())) {
            char[] password = PASSWORD.toCharArray();
            KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(in, password);
            java.security.cert.Certificate certificate = own.getCertificate("mykey");
            write("certificate.pem", "CERTIFICATE", certificate.getEncoded());
            write("key.pem", "PRIVATE KEY", own.getKey("mykey", password).getEncoded());
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, password);
            trusted.setCertificateEntry("redis", certificate);
            trusted.store(out, password);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void keytool(String... arguments) {
        try {
            List<String> command = new ArrayList<>();
            command.add(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
            command.addAll(List.of(arguments));
            command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD, "-validity", "2"));
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException("keytool: " + said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void write(String file, String what, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                folder.resolve(file), "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }

    /** A trust store in PKCS 12 that holds it alone. */
    public Path trustStore() {
        return folder.resolve("trusted.p12");
    }

    /** The options of a redis-server that shows it at a port of its own and asks clients for none, and some more. */
    public String[] serverOptions(String... more) {
        String certificate = folder.resolve("certificate.pem").toString();
        List<String> options = new ArrayList<>(List.of("--tls-port", RedisServerProcess.FREE_PORT));
        options.addAll(List.of("--tls-cert-file", certificate, "--tls-ca-cert-file", certificate));
        options.addAll(List.of("--tls-key-file", folder.resolve("key.pem").toString(), "--tls-auth-clients", "no"));
        options.addAll(List.of(more));
        return options.toArray(String[]::new);
    }
}
