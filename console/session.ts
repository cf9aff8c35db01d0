import { useEffect, useState } from 'preact/hooks';
import { consoleBase } from './router.ts';

/**
 * Who is signed in. The token is kept in this tab's sessionStorage and passed to new tabs by BroadcastChannel, so that nothing
 * outlives the browser. The server enforces the idle time-out; the tab hides its content after the same time.
 */
export interface SignedIn {
  readonly token: string;
  /** null: signed in with the administrator's key. */
  readonly email: string | null;
}

export type SessionState =
  | { readonly kind: 'asking' }
  | { readonly kind: 'out' }
  /** Was signed in: the screen keeps its state, but is hidden. */
  | { readonly kind: 'expired'; readonly email: string | null }
  | ({ readonly kind: 'in' } & SignedIn);

const key = `vitrine ${consoleBase}`;
const idleTime = 30 * 60_000;
/** Milliseconds to wait for another tab to pass its session on. */
const askingTime = 150;

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'in'; readonly signedIn: SignedIn }
  | { readonly kind: 'out'; readonly token: string }
  | { readonly kind: 'used' };

const channel = new BroadcastChannel(key);
const listeners = new Set<() => void>();
let state: SessionState = readKept();
let lastUse = Date.now();
let lastSent = 0;

function readKept(): SessionState {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    if (typeof kept === 'object' && kept !== null && 'token' in kept && typeof kept.token === 'string') {
      const email = 'email' in kept && typeof kept.email === 'string' ? kept.email : null;
      return { kind: 'in', token: kept.token, email };
    }
  } catch {} // not ours
  return { kind: 'asking' };
}

function become(next: SessionState): void {
  state = next;
  if (next.kind === 'in') {
    lastUse = Date.now();
    sessionStorage.setItem(key, JSON.stringify({ token: next.token, email: next.email }));
  } else if (next.kind !== 'asking') sessionStorage.removeItem(key);
  for (const listener of [...listeners]) listener();
}

const tell = (message: Message) => channel.postMessage(message);

channel.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.kind === 'ask' && state.kind === 'in') {
    tell({ kind: 'in', signedIn: { token: state.token, email: state.email } });
  } else if (data.kind === 'in' && state.kind !== 'in') {
    become({ kind: 'in', ...data.signedIn });
  } else if (data.kind === 'out' && state.kind === 'in' && state.token === data.token) {
    become({ kind: 'out' });
  } else if (data.kind === 'used') lastUse = Date.now();
};

if (state.kind === 'asking') {
  tell({ kind: 'ask' });
  setTimeout(() => state.kind === 'asking' && become({ kind: 'out' }), askingTime);
}

setInterval(() => {
  const over = Date.now() - lastUse > idleTime;
  if (state.kind === 'in' && state.email !== null && over) expire(state.token);
}, 10_000);

export const sessionToken = (): string | undefined => (state.kind === 'in' ? state.token : undefined);

export function beginSession(signedIn: SignedIn): void {
  become({ kind: 'in', ...signedIn });
  tell({ kind: 'in', signedIn });
}

/** The user signed out. */
export function endSession(): void {
  if (state.kind === 'in') tell({ kind: 'out', token: state.token });
  become({ kind: 'out' });
}

/** The server no longer accepts the token, or it was idle for too long. */
export function expire(token: string): void {
  if (state.kind === 'in' && state.token === token) become({ kind: 'expired', email: state.email });
}

/** A request was answered: restarts the idle time, in every tab. */
export function noteUse(): void {
  lastUse = Date.now();
  if (lastUse - lastSent < 10_000) return;
  lastSent = lastUse;
  tell({ kind: 'used' });
}

export function useSession(): SessionState {
  const [seen, setSeen] = useState(state);
  useEffect(() => {
    const listener = () => setSeen(state);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return seen;
}
