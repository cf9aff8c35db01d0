import { createAccountTables } from '../accounts/tables.ts';
import type { Database } from '../database.ts';
import type { SqliteDriver } from '../driver.ts';
import { openFile } from '../project-file.ts';
import { createProjectTables } from '../project-tables.ts';

/** Opens the file of a project, or makes one with nothing in it. */
export function openProjectFile(driver: SqliteDriver, path: string): Database {
  return openFile(driver, path, (made) => {
    createProjectTables(made);
    createAccountTables(made);
  });
}
