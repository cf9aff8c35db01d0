import type { Channel } from '../../channel.ts';

/** Not a flag: set by the parent for each of its workers, to its number. */
export const workerMark = 'VITRINE_WORKER';

/** What the parent tells a worker. */
export type Order =
  /** Port 0: any that is free. */
  { readonly kind: 'listen'; readonly port: number } | { readonly kind: 'stop' };

/** What a worker tells its parent. */
export type Report =
  /** It can listen as soon as it is told where. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly port: number }
  /** It ends now, without having listened. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface Talk<Said, Heard> {
  say(words: Said): void;
  hear(heard: (words: Heard) => void): void;
}

export function talkOver<Said, Heard>(channel: Channel): Talk<Said, Heard> {
  return {
    say: (words) => channel.post(JSON.stringify(words)),
    hear: (heard) =>
      channel.listen(
        (text) => heard(JSON.parse(text) as Heard),
        () => {}, // the end of a process is noticed elsewhere
      ),
  };
}
