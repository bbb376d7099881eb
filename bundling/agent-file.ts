/** Bundles the agent alone, for machines that have Node and nothing else of the package. */
import { chmodSync, rmSync } from 'node:fs';
import { bundleOneFile } from './one-file.ts';

/** Replaces `folder` with `rollcall-agent.cjs` and the licences of what was bundled; returns the path of the file. */
export const bundleAgent = async (folder: string): Promise<string> => {
  rmSync(folder, { recursive: true, force: true });
  const outfile = `${folder}/rollcall-agent.cjs`;
  await bundleOneFile('cli/agent/agent-alone.ts', outfile);
  chmodSync(outfile, 0o755);
  return outfile;
};
