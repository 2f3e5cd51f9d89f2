package wiredyno.runner;

/** One call of a phase. */
interface Call {
    Object call(Object input) throws Exception;
}
