import { type Authority, authorityOf } from '../../access/authority.ts';
import {
  type BackupAnswer,
  createBackup,
  listBackups,
  restoreBackup,
  viewBackup,
} from '../../admin/backups.ts';
import type { Backups } from '../../backups/backups.ts';
import { Failure } from '../../failure.ts';
import { requireManager } from '../authenticate.ts';
import { download } from '../download.ts';
import { refuseQuery } from '../refuse-query.ts';
import { success } from '../respond.ts';
import type { Handler, Incoming } from '../route.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';
import { ofProject } from './audited.ts';

/** Backups of projects. */
export function backupRoutes(services: Services, { admin, body }: ManagementAccess): ManagementRoute[] {
  const backups = (): Backups => {
    if (services.backups) return services.backups;
    throw new Failure('notSetUp', 'Backups are made by a server: start one with vitrine serve');
  };
  /** For work that may go on after the response. */
  const begun =
    (run: (incoming: Incoming, authority: Authority | undefined) => Promise<BackupAnswer>): Handler =>
    async (incoming) => {
      const caller = await requireManager(services, incoming.request);
      refuseQuery(incoming.query);
      const { status, result } = await run(incoming, authorityOf(caller));
      return success(status, result);
    };
  return [
    {
      path: '/projects/:project/backups',
      actions: { POST: 'backup.create' },
      verbs: { POST: begun(({ param }, authority) => createBackup(backups(), param('project'), authority)) },
    },
    {
      path: '/backups',
      verbs: { GET: admin(200, ({ query }) => listBackups(backups(), query), 'query') },
    },
    {
      path: '/backups/:id',
      actions: { DELETE: 'backup.delete' },
      verbs: {
        GET: admin(200, ({ param }) => viewBackup(backups(), param('id'))),
        DELETE: async ({ request, query, param }) => {
          const caller = await requireManager(services, request);
          refuseQuery(query);
          const project = await backups().remove(param('id'), authorityOf(caller));
          return ofProject(success(200, JSON.stringify({ _id: param('id') })), project);
        },
      },
    },
    {
      path: '/backups/:id/file',
      actions: { GET: 'backup.download' },
      verbs: {
        GET: async (incoming) => {
          await requireManager(services, incoming.request);
          refuseQuery(incoming.query);
          const { manifest, body: file } = await backups().file(incoming.param('id'));
          const name = `${manifest.project}-${manifest._id}.db`;
          const answer = { name, type: 'application/vnd.sqlite3', body: file };
          const { response } = download(answer, (error) =>
            services.log.error('a download of a backup broke off', error),
          );
          return ofProject(response, manifest.project);
        },
      },
    },
    {
      path: '/backups/:id/restore',
      actions: { POST: 'backup.restore' },
      verbs: {
        POST: begun(async (incoming, authority) => {
          return restoreBackup(backups(), incoming.param('id'), await body(incoming), authority);
        }),
      },
    },
  ];
}
