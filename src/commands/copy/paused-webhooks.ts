import { counted } from '../terminal/colours.ts';

/** The note about the webhooks of a copied project: they are paused, as otherwise both projects would send. */
export function pausedWebhooks(project: string, count: number): string {
  if (count === 0) return '';
  const path = `/v1/_admin/projects/${project}/webhooks/ID`;
  return `${counted(count, 'webhook')} came along paused: in the console, or with PATCH ${path} {"paused":false}, each goes on\n`;
}
