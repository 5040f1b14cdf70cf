package io.korvet.faults.client;

/** What the clients' process tells the one that started it: lines on its standard output. */
final class Output {
    private Output() {}

    static synchronized void line(String text) {
        System.out.println(text);
        System.out.flush();
    }
}
