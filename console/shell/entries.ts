import {
  Activity,
  Archive,
  Boxes,
  type IconNode,
  KeyRound,
  LayoutGrid,
  ScrollText,
  Settings,
  Shield,
  ShieldUser,
  Table2,
  Users,
  Waypoints,
  Webhook,
} from 'lucide';
import { texts } from '../texts.ts';

/** A screen in the navigation and the palette. */
export interface Entry {
  readonly path: string;
  readonly text: string;
  readonly icon: IconNode;
}

const { nav } = texts;

export const instanceEntries: readonly Entry[] = [
  { path: '/', text: nav.projects, icon: LayoutGrid },
  { path: '/_backups', text: nav.backups, icon: Archive },
  { path: '/_metrics', text: nav.metrics, icon: Activity },
  { path: '/_audit', text: nav.audit, icon: ScrollText },
  { path: '/_administrators', text: nav.administrators, icon: ShieldUser },
];

export const collectionsEntry = (project: string): Entry => ({
  path: `/${project}`,
  text: nav.collections,
  icon: Table2,
});

/** The entries below the list of collections. */
export function projectEntries(project: string): Entry[] {
  const entries: readonly Entry[] = [
    { path: '_relations', text: nav.relations, icon: Waypoints },
    { path: '_access', text: nav.access, icon: Shield },
    { path: '_users', text: nav.users, icon: Users },
    { path: '_workspaces', text: nav.workspaces, icon: Boxes },
    { path: '_keys', text: nav.keys, icon: KeyRound },
    { path: '_webhooks', text: texts.webhooks.title, icon: Webhook },
    { path: '_backups', text: nav.backups, icon: Archive },
    { path: '_settings', text: nav.settings, icon: Settings },
  ];
  return entries.map((entry) => ({ ...entry, path: `/${project}/${entry.path}` }));
}
