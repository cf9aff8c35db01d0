import type { Database } from '../connection/database.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { openFile } from '../connection/project-file.ts';
import { createAccountTables } from '../tables/account-tables.ts';
import { createProjectTables } from '../tables/project-tables.ts';

/** Opens the file of a project, or makes one with nothing in it. */
export function openProjectFile(driver: SqliteDriver, path: string): Database {
  return openFile(driver, path, (made) => {
    createProjectTables(made);
    createAccountTables(made);
  });
}
