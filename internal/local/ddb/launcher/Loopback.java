import java.lang.reflect.Field;

/**
 * Starts DynamoDB Local on 127.0.0.1 only. Its own main class listens on every interface and
 * has no option for that. Arguments: as of DynamoDB Local.
 */
public final class Loopback {
    // The packages of release 3 and later, and of releases before.
    private static final String[] PACKAGES = {
        "software.amazon.dynamodb.services.local.main.", "com.amazonaws.services.dynamodbv2.local.main."
    };

    public static void main(String[] args) throws Exception {
        Object proxy = runner().getMethod("createServerFromCommandLineArgs", String[].class).invoke(null, (Object) args);
        Field field = proxy.getClass().getDeclaredField("server");
        field.setAccessible(true);
        Object jetty = field.get(proxy);
        for (Object connector : (Object[]) jetty.getClass().getMethod("getConnectors").invoke(jetty)) {
            connector.getClass().getMethod("setHost", String.class).invoke(connector, "127.0.0.1");
        }
        proxy.getClass().getMethod("start").invoke(proxy);
        proxy.getClass().getMethod("join").invoke(proxy);
    }

    private static Class<?> runner() throws ClassNotFoundException {
        for (String name : PACKAGES) {
            try {
                return Class.forName(name + "ServerRunner");
            } catch (ClassNotFoundException e) {
                continue;
            }
        }
        throw new ClassNotFoundException("no DynamoDB Local in " + System.getProperty("java.class.path"));
    }

    private Loopback() {}
}
