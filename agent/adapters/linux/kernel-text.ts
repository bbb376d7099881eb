/** Small files that the kernel answers from memory. */
import { readFileSync } from 'node:fs';

/**
 * The text; `undefined` if the file is not there, or says nothing just now. To wake a thread for it takes longer than to read it. As UTF-8
 * Node reads it in one step; in another encoding it takes 64 KB each time.
 */
export const kernelText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
