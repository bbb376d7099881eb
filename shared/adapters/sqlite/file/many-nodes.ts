import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Whether a folder has more than `most` Nodes, by a look at its file, which another process may have open. `false` if it cannot be read. */
export const hasManyNodes = (folder: string, most: number): boolean => {
  const path = join(folder, 'objects.db');
  if (!existsSync(path)) return false;
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path, { readOnly: true });
    const further = file.prepare("SELECT 1 FROM object WHERE resource = 'nodes' LIMIT 1 OFFSET ?");
    return further.get(most) !== undefined;
  } catch {
    // Whoever opens it next says what is wrong.
    return false;
  } finally {
    file?.close();
  }
};
