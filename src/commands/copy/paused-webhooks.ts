import { counted } from '../terminal/colours.ts';

/** What to say of the webhooks of a project that was made from another: both could send, so that the new one waits for a word. */
export function pausedWebhooks(project: string, count: number): string {
  if (count === 0) return '';
  const path = `/v1/_admin/projects/${project}/webhooks/ID`;
  return `${counted(count, 'webhook')} came along paused: in the console, or with PATCH ${path} {"paused":false}, each goes on\n`;
}
