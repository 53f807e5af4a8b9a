import jakarta.servlet.ServletConfig;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * METADATA_BASIC as a servlet: the same fast hash of a known credential, a pool of random bytes, the same permission
 * look-up, the same reply. Nothing is made anew for a call that a thread can keep.
 */
public final class Metadata extends HttpServlet {
    private record Operator(String id, byte[] salt, byte[] passwordHash, List<String> permissionLists) {}

    private record Operation(Set<String> permittedBy) {}

    private final Map<String, Operator> operators = new ConcurrentHashMap<>();
    private final Map<String, Operation> operations =
            Map.of("METADATA_BASIC.v1", new Operation(Set.of("REFERENCE_ALL")));
    private final Set<String> nodes = Set.of("LOCAL_NODE");
    private final Map<String, Operator> remembered = new ConcurrentHashMap<>();
    private final ThreadLocal<Kept> kept = ThreadLocal.withInitial(Kept::new);
    private final byte[] secret = new byte[64];
    private String contentType;
    private String revision;
    private String beforeId;
    private String beforeTime;
    private String rest;

    @Override
    public void init(ServletConfig config) {
        new SecureRandom().nextBytes(secret);
        String id = config.getInitParameter("operator");
        byte[] salt = new byte[16];
        new SecureRandom().nextBytes(salt);
        byte[] passwordHash = hashPassword(config.getInitParameter("password"), salt);
        operators.put(id, new Operator(id, salt, passwordHash, List.of("REFERENCE_ALL")));
        contentType = config.getInitParameter("contentType");
        revision = config.getInitParameter("revision");
        beforeId = "\",\"dbname\":\"" + config.getInitParameter("dbname")
                + "\",\"toolsRelease\":\"" + config.getInitParameter("toolsRelease")
                + "\",\"platformTransactionId\":\"";
        beforeTime = "\",\"responseDTTM\":\"";
        rest = "\",\"dbType\":\"" + config.getInitParameter("dbType")
                + "\",\"serverTimeZone\":\"" + config.getInitParameter("serverTimeZone") + "\"}";
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Operation operation = findOperation(request.getPathInfo());
        if (operation == null) {
            response.sendError(404);
            return;
        }
        Kept own = kept.get();
        Operator operator = authenticate(request.getHeader("authorization"), own);
        if (operator == null) {
            response.setHeader("WWW-Authenticate", "Basic realm=\"platform\", charset=\"UTF-8\"");
            response.setStatus(401);
            return;
        }
        if (!permits(operation, operator)) {
            response.sendError(403);
            return;
        }
        String id = own.newUuid();
        byte[] body = (new StringBuilder(256))
                .append("{\"currentUser\":\"").append(operator.id).append(beforeId).append(id)
                .append(beforeTime).append(own.httpDate()).append(rest)
                .toString().getBytes(StandardCharsets.UTF_8);
        response.setHeader("set-cookie", "JSESSIONID=" + own.newSessionId() + "; Path=/; HttpOnly; SameSite=Lax");
        response.setHeader("x-platform-dms-ecid", own.newTraceId());
        response.setHeader("x-platform-dms-rid", "0");
        response.setHeader("ig-transaction-id", id);
        response.setHeader("ig-revision", revision);
        response.setContentType(contentType);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** Of {@code /node/operation/}. */
    private Operation findOperation(String path) {
        if (path == null) return null;
        int slash = path.indexOf('/', 1);
        if (slash < 0 || !nodes.contains(path.substring(1, slash))) return null;
        int end = path.indexOf('/', slash + 1);
        return operations.get(end < 0 ? path.substring(slash + 1) : path.substring(slash + 1, end));
    }

    private static boolean permits(Operation operation, Operator operator) {
        for (String list : operator.permissionLists) if (operation.permittedBy.contains(list)) return true;
        return false;
    }

    private Operator authenticate(String authorization, Kept own) {
        if (authorization == null) return null;
        String key = own.digest(secret, authorization);
        Operator known = remembered.get(key);
        if (known != null && operators.get(known.id) == known) return known;
        Operator operator = verify(authorization);
        if (operator != null) remembered.put(key, operator);
        return operator;
    }

    private Operator verify(String authorization) {
        if (!authorization.regionMatches(true, 0, "Basic ", 0, 6)) return null;
        byte[] decoded;
        try {
            decoded = Base64.getDecoder().decode(authorization.substring(6).trim());
        } catch (IllegalArgumentException malformed) {
            return null;
        }
        String text = new String(decoded, StandardCharsets.UTF_8);
        int colon = text.indexOf(':');
        Operator operator = colon < 1 ? null : operators.get(text.substring(0, colon));
        if (operator == null) return null;
        byte[] given = hashPassword(text.substring(colon + 1), operator.salt);
        return MessageDigest.isEqual(given, operator.passwordHash) ? operator : null;
    }

    private static byte[] hashPassword(String password, byte[] salt) {
        try {
            PBEKeySpec spec = new PBEKeySpec(password.toCharArray(), salt, 100_000, 256);
            return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }

    /** What a thread keeps from call to call. */
    private static final class Kept {
        private static final DateTimeFormatter HTTP_DATE =
                DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US).withZone(ZoneOffset.UTC);
        private final SecureRandom random = new SecureRandom();
        private final byte[] pool = new byte[16 * 1024];
        private int used = pool.length;
        private final MessageDigest sha256;
        private long second = -1;
        private String date = "";

        Kept() {
            try {
                sha256 = MessageDigest.getInstance("SHA-256");
            } catch (GeneralSecurityException error) {
                throw new IllegalStateException(error);
            }
        }

        String digest(byte[] secret, String text) {
            sha256.update(secret);
            return new String(sha256.digest(text.getBytes(StandardCharsets.ISO_8859_1)), StandardCharsets.ISO_8859_1);
        }

        String newSessionId() {
            return Base64.getUrlEncoder().withoutPadding().encodeToString(take(24));
        }

        String newTraceId() {
            return HexFormat.of().formatHex(take(16));
        }

        String newUuid() {
            byte[] bytes = take(16);
            long high = 0;
            long low = 0;
            for (int index = 0; index < 8; index++) {
                high = high << 8 | bytes[index] & 0xff;
                low = low << 8 | bytes[index + 8] & 0xff;
            }
            return new UUID(high & ~0xf000L | 0x4000L, low & ~(3L << 62) | 2L << 62).toString();
        }

        /** The same for a second. */
        String httpDate() {
            long now = System.currentTimeMillis();
            if (now / 1000 != second) {
                second = now / 1000;
                date = HTTP_DATE.format(Instant.ofEpochMilli(now));
            }
            return date;
        }

        private byte[] take(int size) {
            if (used + size > pool.length) {
                random.nextBytes(pool);
                used = 0;
            }
            byte[] bytes = new byte[size];
            System.arraycopy(pool, used, bytes, 0, size);
            used += size;
            return bytes;
        }
    }
}
