import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ColumnValue } from '../../model/field.ts';
import type { SqliteDriver } from '../../store/engines/sqlite/connection/driver.ts';
import { isTrouble } from '../../store/engines/sqlite/connection/faults.ts';
import { applicationId } from '../../store/engines/sqlite/connection/project-file.ts';
import { format } from '../../store/engines/sqlite/tables/upgrades.ts';
import { reasonOf } from '../engine/reasons.ts';
import { counted } from '../terminal/colours.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** After a full disk or missing permissions, restoring would needlessly lose what was written since the backup. */
const adviceOn = (error: unknown) =>
  isTrouble(error)
    ? 'the file itself may be good: see that its disk has free space and works, and who may write it, and look again'
    : restoreIt;

const restoreIt = 'put the file of a backup in its place while no server runs, and keep this one aside';

/** Checks the files of a data directory: their format, their integrity, and whether all are there. */
export function checkFiles(driver: SqliteDriver, directory: string, full: boolean): Finding[] {
  const names = namesIn(join(directory, 'projects'));
  const files = names.filter(isProject);
  const paths = ['instance.db', ...projectFiles(directory)];
  const findings = paths.flatMap((path) => checkFile(driver, directory, path, full));
  const bad = findings.some(({ status }) => status === 'fault');
  if (!bad) findings.push(ok('files', `${counted(paths.length, 'file')}, all whole`));
  return [...findings, ...checkRegister(driver, directory, files, names)];
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);
const isProject = (name: string) => /^[a-z][a-z0-9_-]*\.db$/.test(name);

/** The paths of the projects' files, relative to the directory. */
export const projectFiles = (directory: string) =>
  namesIn(join(directory, 'projects'))
    .filter(isProject)
    .map((name) => join('projects', name));

function checkFile(driver: SqliteDriver, directory: string, path: string, full: boolean): Finding[] {
  try {
    return inspect(driver, join(directory, path), (rows) => {
      const [[id, found] = []] = rows(
        'SELECT application_id, user_version FROM pragma_application_id, pragma_user_version',
      );
      if (Number(id) !== applicationId)
        return [fault('format', `${path} is not a file of Vitrine`, 'name another directory with --data')];
      if (Number(found) > format)
        return [
          fault(
            'format',
            `${path} has format ${found}, made by a newer Vitrine, and this one reads up to ${format}`,
            'upgrade Vitrine',
          ),
        ];
      const older = Number(found) < format;
      const findings: Finding[] = older
        ? [ok('format', `${path} has format ${found}; it becomes ${format} when it is first opened`)]
        : [];
      const faults = rows(full ? 'PRAGMA integrity_check(3)' : 'PRAGMA quick_check(3)').map(([text]) => text);
      if (faults[0] !== 'ok')
        findings.push(fault('integrity', `${path} is damaged: ${faults.join('; ')}`, restoreIt));
      return findings;
    });
  } catch (error) {
    // Deleted meanwhile by a running server; if the project still exists, that is found below.
    if (path !== 'instance.db' && !existsSync(join(directory, path))) return [];
    return [fault('integrity', `${path} can't be read: ${reasonOf(error)}`, adviceOn(error))];
  }
}

/** Compares the projects that the instance lists with the files. */
function checkRegister(
  driver: SqliteDriver,
  directory: string,
  files: readonly string[],
  names: readonly string[],
): Finding[] {
  let listed: string[];
  try {
    listed = inspect(driver, join(directory, 'instance.db'), (rows) =>
      rows('SELECT id FROM projects').map(([id]) => String(id)),
    );
  } catch {
    return []; // reported already
  }
  // Checked now, as projects may be created and deleted while files are read.
  const isThere = (id: string) => existsSync(join(directory, 'projects', `${id}.db`));
  const missing = listed.filter((id) => !isThere(id));
  const found = files.map((name) => name.slice(0, -'.db'.length));
  const unlisted = found.filter((id) => isThere(id) && !listed.includes(id));
  const aside = names.filter((name) => /\.db\.(orphan|new)-/.test(name));
  return [
    ...missing.map((id) => fault('projects', `the project ${id} has no file`, restoreIt)),
    ...unlisted.map((id) =>
      warning(
        'projects',
        `projects/${id}.db is of no project`,
        `make the project ${id} to have it set aside, or remove the file if you know it`,
      ),
    ),
    ...(aside.length > 0
      ? [
          warning(
            'projects',
            `${counted(aside.length, 'file')} in projects/ set aside, or left by a process that was killed: ${aside[0]} …`,
            'the next start removes those of .new-; inspect those of .orphan- and remove them',
          ),
        ]
      : []),
    ...(missing.length === 0
      ? [ok('projects', `${counted(listed.length, 'project')}, each with its file`)]
      : []),
  ];
}

type Rows = (sql: string) => ColumnValue[][];

/** Reads a file without changing it. */
export function inspect<T>(driver: SqliteDriver, path: string, work: (rows: Rows) => T): T {
  if (!existsSync(path)) throw new Error('it is not there');
  const connection = driver.open(path);
  try {
    connection.exec('PRAGMA busy_timeout = 5000; PRAGMA query_only = ON');
    return work((sql) => {
      const statement = connection.prepare(sql);
      try {
        return statement.rows([]);
      } finally {
        statement.finalize();
      }
    });
  } finally {
    connection.close();
  }
}
