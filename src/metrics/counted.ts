import { add, addFamily, type Family, observe } from './cells.ts';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Requests are counted by operation, never by path, which callers choose. */
const operations = [
  ...(['viewAll', 'view', 'create', 'update', 'delete', 'distinct', 'export', 'batch', 'changes'] as const),
  ...(['auth', 'admin', 'other'] as const),
];
export type CountedOperation = (typeof operations)[number];

const statuses = ['2xx', '3xx', '4xx', '5xx'];

const requests = addFamily({
  name: 'vitrine_requests_total',
  help: 'Requests that were answered',
  labels: [
    ['operation', operations],
    ['status', statuses],
  ],
});
const requestSeconds = addFamily({
  name: 'vitrine_request_seconds',
  help: 'Time from a request to the beginning of its answer',
  labels: [['operation', operations]],
  bounds: seconds,
});

export const operationNumber = (operation: CountedOperation): number => operations.indexOf(operation);

export function countRequest(operation: number, status: number, ms: number): void {
  add(requests.start + operation * statuses.length + Math.floor(status / 100) - 2, 1);
  observe(requestSeconds, operation, ms / 1000);
}

const counter = (name: string, help: string, labels: Family['labels'] = []) =>
  addFamily({ name: `vitrine_${name}`, help, labels });

const received = counter('received_bytes_total', 'Bytes of bodies that were received');
const sent = counter('sent_bytes_total', 'Bytes of bodies that were sent');
export const countReceived = (bytes: number) => add(received.start, bytes);
export const countSent = (bytes: number) => add(sent.start, bytes);

const realms = ['users', 'administrators'] as const;
const signInOutcomes = ['done', 'failed', 'limited'] as const;
const signIns = counter('sign_ins_total', 'Sign-ins with a password', [
  ['realm', realms],
  ['outcome', signInOutcomes],
]);
export function countSignIn(realm: (typeof realms)[number], outcome: (typeof signInOutcomes)[number]): void {
  add(signIns.start + realms.indexOf(realm) * signInOutcomes.length + signInOutcomes.indexOf(outcome), 1);
}

const commitSeconds = addFamily({
  name: 'vitrine_commit_seconds',
  help: 'Time of a transaction that writes records or accounts, until it is on disk',
  labels: [],
  bounds: [0.0005, ...seconds],
});
const commitWrites = addFamily({
  name: 'vitrine_commit_writes',
  help: 'Writes that were committed as one group',
  labels: [],
  bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256],
});
export const countCommit = (ms: number) => observe(commitSeconds, 0, ms / 1000);
export const countGroup = (writes: number) => observe(commitWrites, 0, writes);

const poolWait = addFamily({
  name: 'vitrine_pool_wait_seconds',
  help: 'Time spent waiting for a connection to PostgreSQL',
  labels: [],
  bounds: seconds,
});
export const countPoolWait = (ms: number) => observe(poolWait, 0, ms / 1000);

const outcomes = ['done', 'failed'] as const;
type Outcome = (typeof outcomes)[number];
const done: Family['labels'] = [['outcome', outcomes]];
const mails = counter('mails_total', 'Attempts to send a mail', done);
const deliveries = counter('webhook_deliveries_total', 'Attempts to deliver a change to a webhook', done);
const backups = counter('backups_total', 'Backups that were made', done);
const countOutcome = (family: Family) => (outcome: Outcome) =>
  add(family.start + outcomes.indexOf(outcome), 1);
export const countMail = countOutcome(mails);
export const countDelivery = countOutcome(deliveries);
export const countBackup = countOutcome(backups);
