package wiredyno.runner;

/** An operation that fails; the text says what was wrong and what to do. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    public Refusal(String text) {
        super(text);
    }
}
