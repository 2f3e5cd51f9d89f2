package wiredyno.runner.roles;

/** The values that a publisher sends. */
public interface Messages {
    /** How many samples there are. */
    int count();

    /** The domain's object of a sample: a new one, which a number can be put into. */
    Object domain(int sample) throws Exception;
}
