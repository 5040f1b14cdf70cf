package io.korvet.faults.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final EnumSet<FaultKind> ALL = EnumSet.allOf(FaultKind.class);

    private static List<Step> steps(long seed, boolean brief, int number) {
        Schedule schedule = new Schedule(seed, ALL, brief);
        return Stream.generate(schedule::next).limit(number).toList();
    }

    @Test
    void aSeedGivesTheSameStepsAgainAndAnotherOneOthers() {
        assertThat(steps(7, true, 100)).isEqualTo(steps(7, true, 100)).isNotEqualTo(steps(8, true, 100));
    }

    @Test
    void eachRoundHasEachKindByItselfAndSomePairs() {
        List<Step> round = steps(1, true, ALL.size() + 4);
        assertThat(round.stream().filter(step -> step.strikes().size() == 1))
                .map(step -> step.strikes().get(0).kind())
                .containsExactlyInAnyOrderElementsOf(ALL);
        assertThat(round.stream().filter(step -> step.strikes().size() == 2)).hasSize(4);
    }

    @Test
    void aPairIsAboutDifferentKindsAndBrokers() {
        assertThat(steps(3, false, 2_000).stream().filter(step -> step.strikes().size() == 2))
                .isNotEmpty()
                .allSatisfy(step -> {
                    Step.Strike one = step.strikes().get(0);
                    Step.Strike other = step.strikes().get(1);
                    assertThat(one.kind()).isNotEqualTo(other.kind());
                    assertThat(one.broker() < 0 || one.broker() != other.broker())
                            .isTrue();
                });
    }

    @Test
    void faultsLastSecondsInBriefRunsAndUpToAMinuteInOthers() {
        assertThat(steps(5, true, 1_000))
                .allSatisfy(step -> assertThat(step.length()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5)));
        assertThat(steps(5, false, 1_000))
                .allSatisfy(step -> assertThat(step.length()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(60)))
                .anySatisfy(step -> assertThat(step.length()).isGreaterThan(Duration.ofSeconds(50)));
    }
}
