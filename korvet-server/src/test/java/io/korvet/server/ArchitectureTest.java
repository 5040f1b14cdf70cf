package io.korvet.server;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The rules of ARCHITECTURE.md that are about who may use what, over all modules. */
class ArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.korvet");

    /** Start and stop, where waiting is what the caller asks for. */
    private static final DescribedPredicate<JavaClass> STARTS_AND_STOPS = describe(
            "start and stop the process",
            type -> type.getPackageName().equals("io.korvet.server")
                    || type.getPackageName().equals("io.korvet.server.dev")
                    || type.getSimpleName().equals("RedisStore"));

    /** Failures that a package above shares with those below it. */
    private static final DescribedPredicate<JavaClass> SHARED_FAILURES = describe(
            "are failures shared by a package and those below it",
            type -> type.getSimpleName().equals("ProtocolException")
                    || type.getSimpleName().equals("StartException"));

    @Test
    void packagesHaveNoCycles() {
        check(slices().matching("io.korvet.(**)")
                .should()
                .beFreeOfCycles()
                .ignoreDependency(alwaysTrue(), SHARED_FAILURES));
    }

    @Test
    void lowerModulesDoNotSeeHigherOnes() {
        check(noClasses()
                .that(resideInAPackage("io.korvet.offsets.."))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.korvet..").and(not(resideInAPackage("io.korvet.offsets..")))));
        check(noClasses()
                .that(resideInAPackage("io.korvet.protocol.."))
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.korvet..").and(not(resideInAPackage("io.korvet.protocol..")))));
        check(noClasses()
                .that(resideInAPackage("io.korvet.store.."))
                .should()
                .dependOnClassesThat(resideInAPackage("io.korvet..")
                        .and(not(resideInAnyPackage("io.korvet.store..", "io.korvet.offsets..")))));
        for (String sibling : new String[] {"coordinator", "cluster", "tiering"}) {
            check(noClasses()
                    .that(resideInAPackage("io.korvet." + sibling + ".."))
                    .should()
                    .dependOnClassesThat(resideInAPackage("io.korvet..")
                            .and(not(resideInAnyPackage(
                                    "io.korvet." + sibling + "..", "io.korvet.store..", "io.korvet.offsets..")))));
        }
    }

    @Test
    void kafkaIsOnlyKnownToProtocolAndToWhatTranslates() {
        // The root puts the parts together and names what they speak of to the meters.
        onlyIn(
                "org.apache.kafka..",
                "io.korvet.protocol..",
                "io.korvet.server",
                "io.korvet.server.handler..",
                "io.korvet.server.dispatch..",
                "io.korvet.server.log..",
                "io.korvet.server.topics..");
    }

    @Test
    void theRedisDriverIsOnlyKnownToTheRedisStore() {
        onlyIn("io.lettuce..", "io.korvet.store.redis..");
    }

    @Test
    void icebergIsOnlyKnownToItsTier() {
        onlyIn("org.apache.iceberg..", "io.korvet.tiering.iceberg..");
        onlyIn("org.apache.parquet..", "io.korvet.tiering.iceberg..");
        onlyIn("org.apache.hadoop..", "io.korvet.tiering.iceberg..");
    }

    @Test
    void channelsAreOnlyKnownToTheListeners() {
        // The root hands the listeners' threads to the store.
        onlyIn(
                "io.netty.channel..",
                "io.korvet.server",
                "io.korvet.server.net..",
                "io.korvet.server.http..",
                "io.korvet.store.redis..");
    }

    @Test
    void nobodyWaitsForAFutureOutsideStartAndStop() {
        DescribedPredicate<JavaMethodCall> waits = describe(
                "join() or get() of a future",
                call -> (call.getName().equals("join") || call.getName().equals("get"))
                        && call.getTargetOwner().isAssignableTo(Future.class));
        check(noClasses().that(not(STARTS_AND_STOPS)).should().callMethodWhere(waits));
    }

    @Test
    void nothingRunsOnTheCommonPool() {
        DescribedPredicate<JavaMethodCall> withoutExecutor = describe(
                "an …Async method without an executor",
                call -> call.getName().endsWith("Async")
                        && call.getTargetOwner().isAssignableTo(CompletionStage.class)
                        && call.getTarget().getRawParameterTypes().stream()
                                .noneMatch(type -> type.isAssignableTo(Executor.class)));
        check(noClasses().should().callMethodWhere(withoutExecutor));
    }

    @Test
    void timeComesFromAClock() {
        check(noClasses().should().callMethod(System.class, "currentTimeMillis"));
    }

    private static void onlyIn(String what, String... packages) {
        check(noClasses()
                .that(resideInAPackage("io.korvet..").and(not(resideInAnyPackage(packages))))
                .should()
                .dependOnClassesThat(resideInAPackage(what)));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(CLASSES);
    }
}
