package io.korvet.store;

/**
 * The name of one log of entries, the hash tag of all its keys, for instance {@code orders:0}.
 *
 * @param value without braces and not empty
 */
public record StreamName(String value) {

    /** Checks that the name can stand between the braces of a hash tag. */
    public StreamName {
        if (value.isEmpty() || value.indexOf('{') >= 0 || value.indexOf('}') >= 0) {
            throw new IllegalArgumentException(
                    "stream name '" + value + "': expected at least one character and no braces");
        }
    }

    @Override
    public String toString() {
        return value;
    }
}
