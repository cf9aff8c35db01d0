import { existsSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type BackupPlace, timeOf } from '../../backups/place.ts';
import { reasonOf } from '../engine/reasons.ts';
import { counted } from '../terminal/colours.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Milliseconds. */
const connectTimeout = 5_000;

/** Checks whether the mail server of --mail responds. Nothing is sent. */
export async function checkMail(address: string, sender: string, publicUrl: string): Promise<Finding[]> {
  if (address === '') return [];
  const findings: Finding[] = [];
  if (sender === '')
    findings.push(fault('mail', '--mail-from is missing', 'name the sender of mails with it'));
  if (publicUrl === '')
    findings.push(
      fault('mail', '--public-url is missing', 'name the address that links in mails begin with'),
    );
  if (address.startsWith('file:')) return [...findings, checkFolder(address.slice('file:'.length))];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol))
    return [
      ...findings,
      fault('mail', '--mail is not an address', 'write smtp://user:secret@host:587 or smtps://…'),
    ];
  const secure = url.protocol === 'smtps:';
  const port = Number(url.port || (secure ? 465 : 587));
  try {
    const greeting = await greetingOf(url.hostname, port, secure);
    if (!greeting.startsWith('220')) throw new Error(`it answers '${greeting.slice(0, 60)}'`);
    return [...findings, ok('mail', `${url.hostname}:${port} answers`)];
  } catch (error) {
    const problem = `${url.hostname}:${port} can't be reached: ${reasonOf(error)}`;
    return [...findings, fault('mail', problem, 'check host, port and firewall; smtps:// is for port 465')];
  }
}

function checkFolder(folder: string): Finding {
  if (existsSync(folder)) return ok('mail', `mails are written to ${folder}`);
  return warning('mail', `the folder ${folder} is not there`, 'make it, or name another in --mail file:DIR');
}

function greetingOf(host: string, port: number, secure: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = secure
      ? connectTls({ host, port, servername: host })
      : connectPlain({ host, port });
    const end = (settle: () => void) => {
      socket.destroy();
      settle();
    };
    socket.setTimeout(connectTimeout, () => end(() => reject(new Error('no answer in time'))));
    socket.once('error', (error) => end(() => reject(error)));
    socket.once('close', () => reject(new Error('it closes the connection without a word')));
    socket.once('data', (data) => end(() => resolve(data.toString('latin1').trim())));
  });
}

/** Checks whether backups can be listed, and how old the newest is. */
export async function checkBackups(
  place: Pick<BackupPlace, 'list'>,
  every: number | undefined,
  now: number,
): Promise<Finding> {
  let times: number[];
  try {
    times = (await place.list()).map(timeOf);
  } catch (error) {
    const advice = 'check --backup-to, and for S3 the AWS_… variables and the permissions of the key';
    return fault('backups', `they can't be listed: ${reasonOf(error)}`, advice);
  }
  if (times.length === 0)
    return warning(
      'backups',
      'there are none',
      'set --backup-every, such as 6h, or copy the data in another way',
    );
  const hours = (now - Math.max(...times)) / 3_600_000;
  const summary = `${counted(times.length, 'backup')}, the newest ${hours < 48 ? `${hours.toFixed(1)} hours` : `${(hours / 24).toFixed(0)} days`} old`;
  const limit = every === undefined ? 7 * 24 : (2 * every) / 3_600_000;
  if (hours <= limit) return ok('backups', summary);
  return warning('backups', summary, 'see in the log why none was made since, and check --backup-every');
}
