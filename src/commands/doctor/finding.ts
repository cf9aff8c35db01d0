/** fault: it does not work, or data is at risk. warning: it works, but something should be done. */
export type Status = 'ok' | 'warning' | 'fault';

export interface Finding {
  /** What was checked, in a word or two. */
  readonly check: string;
  readonly status: Status;
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message });
export const warning = (check: string, message: string, advice: string): Finding => ({
  ...{ check, status: 'warning', message, advice },
});
export const fault = (check: string, message: string, advice: string): Finding => ({
  ...{ check, status: 'fault', message, advice },
});

/** `1.4 GB` */
export function inBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const unit = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** unit).toFixed(unit === 0 ? 0 : 1)} ${units[unit]}`;
}
