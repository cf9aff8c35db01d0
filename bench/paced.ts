/**
 * Sends creations at an even pace over plain sockets, for little processor time of its own:
 *   bun bench/paced.ts PORT PATH FIRST_NUMBER PER_SECOND SECONDS   (the body's template in PACED_BODY)
 * Prints how many were answered with 201, and how many were not.
 */
const [port, path = '/', first, perSecond, seconds] = process.argv.slice(2);
const template = process.env.PACED_BODY ?? '{}';
const rate = Math.min(10_000, Number(perSecond));
const most = rate * Math.min(600, Number(seconds));
const connectionCount = 32;
const tick = 2;

interface Line {
  pending: number;
  send(text: string): void;
}

let number = Number(first);
let sent = 0;
let created = 0;
let failed = 0;

function message(): string {
  number += 1;
  const body = template.replace('XXXXXXXXXX', String(number).padStart(10, '0'));
  return (
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** One answer at a time on each; an answer to a creation is small and begins with its status. */
async function connectLine(): Promise<Line> {
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(port),
    socket: {
      data(_, bytes) {
        const text = bytes.toString('latin1');
        const answers = text.match(/HTTP\/1\.1 \d\d\d/g) ?? [];
        for (const answer of answers) {
          line.pending -= 1;
          if (answer.endsWith('201')) created += 1;
          else failed += 1;
        }
      },
      close() {
        line.pending = Number.POSITIVE_INFINITY;
      },
    },
  });
  const line: Line = { pending: 0, send: (text) => void socket.write(text) };
  return line;
}

const lines = await Promise.all(Array.from({ length: connectionCount }, connectLine));
const begin = performance.now();
const timer = setInterval(() => {
  const due = Math.min(most, ((performance.now() - begin) / 1_000) * rate);
  for (const line of lines) {
    if (sent >= due) break;
    if (line.pending > 0) continue;
    line.pending += 1;
    sent += 1;
    line.send(message());
  }
}, tick);

await Bun.sleep(Number(seconds) * 1_000);
clearInterval(timer);
await Bun.sleep(100);
const elapsed = (performance.now() - begin) / 1_000;
console.log(`PACED ${JSON.stringify({ created, failed, perSecond: created / elapsed })}`);
process.exit(0);
