import { connect } from 'node:net';

/**
 * A process that sends sign-ins for made-up accounts, each hung up on after 30 ms: so many a second, until its input ends.
 * It has a process of its own, so that whoever measures what it does to others does not wait for it.
 */
const { port, host, rate, localAddress } = JSON.parse(process.argv[2] ?? '{}') as {
  port: number;
  host: string;
  rate: number;
  localAddress?: string;
};

let index = 0;
const each = 10;

function send(): void {
  index += 1;
  const body = JSON.stringify({ email: `nobody${index}@example.com`, password: 'made up' });
  const socket = connect({ port, host, ...(localAddress && { localAddress }) }, () => {
    socket.write(
      `POST /v1/demo/_auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    setTimeout(() => socket.destroy(), 30);
  });
  socket.on('error', () => {});
  socket.resume();
}

setInterval(() => {
  for (let n = 0; n < (rate * each) / 1_000; n++) send();
}, each);
process.stdout.write('flooding\n');
process.stdin.on('end', () => process.exit()).resume();
