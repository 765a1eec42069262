package ciphermeter;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/**
 * Ciphermeter's Java worker: it speaks PROTOCOL.md on standard input and output.
 *
 * <p>It promises one answer for each line (describe: a list), never a crash whatever a line contains, and exit
 * code 0 at the end of its input. Its arguments name the providers to load; without any it loads all.
 */
public final class Main {
    private Main() {}

    /** Serves standard input until it ends. */
    public static void main(String[] providers) {
        System.setOut(System.err); // a library's output must not mix with the answers
        try (InputStream in = new FileInputStream(FileDescriptor.in);
                OutputStream out = new FileOutputStream(FileDescriptor.out)) {
            serve(in, out, new Worker(List.of(providers)));
        } catch (IOException e) {
            System.err.println("java worker: cannot read requests or write answers: " + e.getMessage());
            System.exit(1);
        }
    }

    /** Answers the lines of {@code in} on {@code out} until {@code in} ends. */
    static void serve(InputStream in, OutputStream out, Worker worker) throws IOException {
        Lines lines = new Lines(in);
        while (lines.next()) {
            if (lines.tooLong()) {
                out.write(Line.failure("a line of more than " + Lines.MOST + " bytes; send a shorter one"));
            } else if (!lines.blank()) {
                out.write(worker.answer(lines.text()));
            }
        }
    }
}
