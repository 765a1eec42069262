package ciphermeter;

/** Why a request is not answered with what it asked for, and which answer it gets. */
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

    /** Well asked for, but not done here. */
    static Refusal unsupported(String format, Object... values) {
        return new Refusal("unsupported", String.format(format, values));
    }

    /** The input is forged, cut or badly padded: an answer of check only. */
    static Refusal rejected() {
        return new Refusal("rejected", null);
    }

    byte[] line() {
        return getMessage() == null ? Line.is(kind).end() : Line.refusal(kind, getMessage());
    }
}
