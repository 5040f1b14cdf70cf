package io.korvet.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReadTurnsTest {

    private final ReadTurns turns = new ReadTurns(2);
    private final List<CompletableFuture<String>> begun = new ArrayList<>();

    private CompletableFuture<String> read() {
        return turns.inTurn(() -> {
                    CompletableFuture<String> read = new CompletableFuture<>();
                    begun.add(read);
                    return read;
                })
                .toCompletableFuture();
    }

    @Test
    void asManyReadsAsAllowedGoOnAndTheOthersFollowInOrder() {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            answers.add(read());
        }

        assertThat(begun).hasSize(2);
        begun.get(1).complete("second");
        assertThat(begun).hasSize(3);
        assertThat(answers.get(1)).isCompletedWithValue("second");
        begun.get(2).complete("third");
        assertThat(answers.get(2)).isCompletedWithValue("third");
        assertThat(answers.get(0)).isNotDone();
        assertThat(begun).hasSize(4);
    }

    @Test
    void aFailedReadGivesItsTurnOn() {
        List<CompletableFuture<String>> answers = List.of(read(), read(), read());
        begun.get(0).completeExceptionally(new IllegalStateException("gone"));

        assertThat(answers.get(0)).isCompletedExceptionally();
        assertThat(begun).hasSize(3);
        begun.get(1).complete("");
        begun.get(2).complete("");
        CompletableFuture<String> thrown = turns.<String>inTurn(() -> {
                    throw new IllegalStateException("at once");
                })
                .toCompletableFuture();
        assertThat(thrown).isCompletedExceptionally();
        assertThat(read()).isNotDone();
        assertThat(begun).hasSize(4);
    }
}
