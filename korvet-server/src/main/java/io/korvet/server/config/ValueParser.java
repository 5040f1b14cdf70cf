package io.korvet.server.config;

import io.korvet.server.config.Setting.Unit;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Texts of the configuration to values; an {@link IllegalArgumentException}'s message says what was expected, starting with {@code expected}. */
final class ValueParser {

    private static final Pattern SIZE = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([KMGT]?I?B)?");
    private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*(ms|s|m|h|d)?");

    private ValueParser() {}

    /** The value of a component's type. */
    static Object parse(String text, Class<?> type, Setting setting) {
        if (type == String.class) {
            return text;
        }
        if (type == boolean.class) {
            return truth(text);
        }
        if (type == Duration.class) {
            return duration(text, setting);
        }
        long max = type == long.class ? setting.max() : Math.min(setting.max(), Integer.MAX_VALUE);
        long number = number(text, setting.unit(), setting.min(), max);
        if (type == long.class) {
            return number;
        }
        return Math.toIntExact(number);
    }

    private static Object truth(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("expected true or false");
        };
    }

    /** A whole number or a size within bounds; units are powers of 1024, with or without the {@code i}. */
    static long number(String text, Unit unit, long min, long max) {
        String kind = switch (unit) {
            case NONE -> "a whole number";
            case BYTES -> "a size such as 64MB";
        };
        String expected = kind
                + (max == Long.MAX_VALUE
                        ? min == 0 ? ", not negative" : " of at least " + min
                        : " from " + min + " to " + max);
        Long number = switch (unit) {
            case NONE -> plain(text);
            case BYTES -> size(text);
        };
        if (number == null || number < min || number > max) {
            throw new IllegalArgumentException("expected " + expected);
        }
        return number;
    }

    private static @Nullable Long plain(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    private static @Nullable Long size(String text) {
        Matcher matcher = SIZE.matcher(text.toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            return null;
        }
        String unit = matcher.group(2) == null ? "B" : matcher.group(2);
        int power = "BKMGT".indexOf(unit.charAt(0));
        try {
            return new BigDecimal(matcher.group(1))
                    .multiply(BigDecimal.valueOf(1L << (10 * power)))
                    .longValueExact();
        } catch (ArithmeticException e) {
            return null;
        }
    }

    private static Duration duration(String text, Setting setting) {
        Duration duration = duration(text);
        boolean tooLong = setting.max() != Long.MAX_VALUE && duration.toMillis() > setting.max();
        if (duration.toMillis() < setting.min() || tooLong) {
            throw new IllegalArgumentException("expected a duration from " + show(Duration.ofMillis(setting.min()))
                    + " to " + show(Duration.ofMillis(setting.max())));
        }
        return duration;
    }

    /** A number with ms, s, m, h or d; without one it is milliseconds. */
    static Duration duration(String text) {
        Matcher matcher = DURATION.matcher(text.toLowerCase(Locale.ROOT));
        try {
            if (matcher.matches()) {
                long amount = Long.parseLong(matcher.group(1));
                String unit = matcher.group(2) == null ? "ms" : matcher.group(2);
                long scale = switch (unit) {
                    case "s" -> 1000L;
                    case "m" -> 60_000L;
                    case "h" -> 3_600_000L;
                    case "d" -> 86_400_000L;
                    default -> 1L;
                };
                return Duration.ofMillis(Math.multiplyExact(amount, scale));
            }
        } catch (ArithmeticException | NumberFormatException tooLarge) {
            throw new IllegalArgumentException("expected a duration that fits 64 bits of milliseconds", tooLarge);
        }
        throw new IllegalArgumentException("expected a duration such as 500ms, 3s, 1m, 7d");
    }

    /** A duration as one would write it. */
    static String show(Duration duration) {
        long milliseconds = duration.toMillis();
        if (milliseconds != 0 && milliseconds % 86_400_000 == 0) {
            return milliseconds / 86_400_000 + "d";
        }
        if (milliseconds != 0 && milliseconds % 3_600_000 == 0) {
            return milliseconds / 3_600_000 + "h";
        }
        if (milliseconds != 0 && milliseconds % 60_000 == 0) {
            return milliseconds / 60_000 + "m";
        }
        return milliseconds != 0 && milliseconds % 1000 == 0 ? milliseconds / 1000 + "s" : milliseconds + "ms";
    }
}
