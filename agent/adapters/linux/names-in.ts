import { existsSync, readdirSync } from 'node:fs';

/** What stands in a folder; nothing, if it is not there. */
export const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);
