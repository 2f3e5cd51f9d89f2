package wiredyno.runner;

/** A loop of calls: see {@link Loop}. */
interface Timed {
    /** Calls as often as told, going round the inputs from one of them; what each call made is kept until the next. */
    void run(Call call, Object[] inputs, int first, long calls) throws Exception;
}
