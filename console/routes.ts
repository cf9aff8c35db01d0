import type { ComponentType } from 'preact';
import { matchPath, type Params, type ScreenProps } from './router.ts';
import { RecordsScreen } from './screens/records/screen.tsx';

export interface Screen {
  readonly pattern: string;
  /** Either part of the main bundle, or loaded when the screen is first opened. */
  readonly component?: ComponentType<ScreenProps>;
  readonly load?: () => Promise<ComponentType<ScreenProps>>;
}

/**
 * The routes. A screen is a folder in `screens/` with a `screen.tsx`; to add one, write the folder, its texts in `texts/`, its
 * styles in `styles/` (import a new file in `all.css`), and a line here. Reserved names begin with an underscore, as in the API.
 */
const screens: readonly Screen[] = [
  { pattern: '/', load: async () => (await import('./screens/projects/screen.tsx')).ProjectsScreen },
  {
    pattern: '/:project',
    load: async () => (await import('./screens/collections/screen.tsx')).CollectionsScreen,
  },
  {
    pattern: '/:project/_settings',
    load: async () => (await import('./screens/settings/screen.tsx')).SettingsScreen,
  },
  {
    pattern: '/_administrators',
    load: async () => (await import('./screens/administrators/screen.tsx')).AdministratorsScreen,
  },
  {
    pattern: '/:project/_users',
    load: async () => (await import('./screens/users/screen.tsx')).UsersScreen,
  },
  {
    pattern: '/:project/_workspaces',
    load: async () => (await import('./screens/workspaces/screen.tsx')).WorkspacesScreen,
  },
  {
    pattern: '/:project/_keys',
    load: async () => (await import('./screens/keys/screen.tsx')).KeysScreen,
  },
  {
    pattern: '/:project/_webhooks',
    load: async () => (await import('./screens/webhooks/screen.tsx')).WebhooksScreen,
  },
  {
    pattern: '/_backups',
    load: async () => (await import('./screens/backups/screen.tsx')).BackupsScreen,
  },
  {
    pattern: '/:project/_backups',
    load: async () => (await import('./screens/backups/screen.tsx')).BackupsScreen,
  },
  {
    pattern: '/_metrics',
    load: async () => (await import('./screens/metrics/screen.tsx')).MetricsScreen,
  },
  {
    pattern: '/_audit',
    load: async () => (await import('./screens/audit/screen.tsx')).AuditScreen,
  },
  {
    pattern: '/:project/_new',
    load: async () => (await import('./screens/definition/screen.tsx')).NewCollectionScreen,
  },
  {
    pattern: '/:project/:collection/_definition',
    load: async () => (await import('./screens/definition/screen.tsx')).DefinitionScreen,
  },
  {
    pattern: '/:project/_access',
    load: async () => (await import('./screens/access/overview.tsx')).AccessOverview,
  },
  {
    pattern: '/:project/:collection/_access',
    load: async () => (await import('./screens/access/screen.tsx')).AccessScreen,
  },
  {
    pattern: '/:project/_relations',
    load: async () => (await import('./screens/relations/screen.tsx')).RelationsScreen,
  },
  {
    pattern: '/:project/:collection/_import',
    load: async () => (await import('./screens/import/screen.tsx')).ImportScreen,
  },
  {
    pattern: '/:project/:collection/_api',
    load: async () => (await import('./screens/api/screen.tsx')).ApiScreen,
  },
  // The screen that is used most is part of the main bundle; so are nearly all the parts that the others use.
  { pattern: '/:project/:collection', component: RecordsScreen },
];

export function findScreen(path: string): { screen: Screen; params: Params } | undefined {
  for (const screen of screens) {
    const params = matchPath(screen.pattern, path);
    if (params) return { screen, params };
  }
  return undefined;
}
