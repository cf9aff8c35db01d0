import { namedTables } from './tag.ts';

/** The tables of a project that do not belong to collections, and those of the instance. */
export const tables = namedTables([
  ...([
    'meta',
    'collections',
    'counters',
    'touches',
    'garbage',
    'idempotency',
    'sizes',
    'deletions',
    'doomed',
    'touched',
    'changes',
  ] as const),
  ...(['secrets', 'users', 'workspaces', 'members', 'sessions', 'refresh_tokens', 'keys'] as const),
  ...(['outbox', 'mail_tokens', 'mail_limits', 'invitations', 'departures'] as const),
  ...(['factors', 'recovery_codes', 'identities', 'sign_in_steps'] as const),
  ...(['webhooks', 'webhook_deliveries'] as const),
  ...(['format', 'projects', 'administrators', 'setup'] as const),
  ...(['administrator_signins', 'administrator_invitations', 'administrator_tickets'] as const),
  ...(['administrator_factors', 'administrator_recovery_codes', 'administrator_steps'] as const),
  ...(['backup_runs', 'failed_sign_ins'] as const),
  ...(['leases', 'work'] as const),
  ...(['audit'] as const),
]);
