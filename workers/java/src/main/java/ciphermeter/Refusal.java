package ciphermeter;

/** Why a request cannot be fulfilled, and the kind of its answer. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    private final String kind;

    private Refusal(String kind, String why) {
        super(why);
        this.kind = kind;
    }

    /** What failed, then what to do. */
    static Refusal error(String format, Object... values) {
        return new Refusal("error", String.format(format, values));
    }

    /** A valid request that is not supported here. */
    static Refusal unsupported(String format, Object... values) {
        return new Refusal("unsupported", String.format(format, values));
    }

    /** The input is forged, truncated or badly padded: an answer of check only. */
    static Refusal rejected() {
        return new Refusal("rejected", null);
    }

    byte[] line() {
        return getMessage() == null ? Line.is(kind).end() : Line.refusal(kind, getMessage());
    }
}
