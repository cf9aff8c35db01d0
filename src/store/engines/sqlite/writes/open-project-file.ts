import type { Database } from '../connection/database.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { openFile, upgradeFile } from '../connection/project-file.ts';
import { createProjectTables } from '../tables/system-tables.ts';

/** Opens a project's file, or creates an empty one. */
export async function openProjectFile(driver: SqliteDriver, path: string): Promise<Database> {
  const db = openFile(driver, path, createProjectTables);
  try {
    await upgradeFile(db, 'project');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
