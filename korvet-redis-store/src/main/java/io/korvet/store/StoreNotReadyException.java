package io.korvet.store;

/** A store that is there and can't be used yet; it will, as far as one can tell, without anybody's help. */
public final class StoreNotReadyException extends StoreException {

    private static final long serialVersionUID = 1L;

    /** What it is waiting for. */
    public StoreNotReadyException(String message, Throwable cause) {
        super(Kind.UNAVAILABLE, message, cause);
    }
}
