// SPDX-License-Identifier: MIT

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The command line: the workload, the protocol's numbers, and the parameters of --set. */
final class Settings {
    /** A user's mistake: one line, exit code 2. */
    static final class UsageError extends RuntimeException {
        UsageError(String text) {
            super(text);
        }
    }

    final String benchmark;
    private final Map<String, Long> numbers = new HashMap<>(
            Map.of("--workers", 1L, "--iterations", 5L, "--warmup", 1L, "--seed", 1L));
    private final Map<String, String> given = new HashMap<>();
    private final Map<String, String> used = new HashMap<>(); // as JSON

    Settings(String[] arguments) {
        String name = "";
        for (int i = 0; i < arguments.length; i++) {
            String word = arguments[i];
            if (!word.startsWith("-")) {
                name = word;
                continue;
            }
            if (++i == arguments.length)
                throw new UsageError(word + " needs a value");
            String value = arguments[i];
            int equals = value.indexOf('=');
            if (numbers.containsKey(word))
                numbers.put(word, number(word, value));
            else if (word.equals("--set") && equals > 0)
                given.put(value.substring(0, equals), value.substring(equals + 1));
            else
                throw new UsageError(word + " " + value + " is not understood");
        }
        benchmark = name;
    }

    private static long number(String key, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException error) {
            throw new UsageError(key + "=" + text + " is not a number of its kind");
        }
    }

    long workers() {
        return numbers.get("--workers");
    }

    long iterations() {
        return numbers.get("--iterations");
    }

    long warmup() {
        return numbers.get("--warmup");
    }

    long seed() {
        return numbers.get("--seed");
    }

    private String text(String key) {
        String value = given.get(key);
        if (value == null)
            throw new UsageError("--set " + key + "=... is needed");
        return value;
    }

    long number(String key) {
        long value = number(key, text(key));
        used.put(key, Long.toString(value));
        return value;
    }

    /** The index of the value among the choices. */
    int choice(String key, String... choices) {
        String value = text(key);
        int found = List.of(choices).indexOf(value);
        if (found < 0)
            throw new UsageError("no " + key + "=" + value + " here");
        used.put(key, '"' + value + '"');
        return found;
    }

    /** Java allocates everything on its own heap, so the parameter `memory` has no meaning. */
    void memory() {
        choice("memory", "malloc");
    }

    void refuseUnused() {
        for (String key : given.keySet())
            if (!used.containsKey(key))
                throw new UsageError("no parameter " + key + " here");
    }

    String json() {
        List<String> parts = new ArrayList<>();
        used.forEach((key, value) -> parts.add('"' + key + "\": " + value));
        return '{' + String.join(", ", parts) + '}';
    }
}
