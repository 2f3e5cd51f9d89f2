package wiredyno.runner;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** What was built for the definition, in definition.jar on the class path. */
final class Made {
    private static final Properties FACTS = new Properties();

    static {
        try (InputStream in = Made.class.getResourceAsStream("/definition.properties")) {
            if (in != null) {
                FACTS.load(in);
            }
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    private Made() {}

    /** A fact; null if there is none. */
    static String fact(String name) {
        return FACTS.getProperty(name);
    }

    /** A new object of a generated class. */
    static Object of(String name) throws ReflectiveOperationException {
        return Class.forName("wiredyno.made." + name).getDeclaredConstructor().newInstance();
    }

    /** A new object of a generated class that takes a text. */
    static Object of(String name, String text) throws ReflectiveOperationException {
        return Class.forName("wiredyno.made." + name).getDeclaredConstructor(String.class).newInstance(text);
    }
}
