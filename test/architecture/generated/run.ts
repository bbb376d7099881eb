/** `npm run generate`: writes the generated pages and blocks of the documentation. */
import { writeFileSync } from 'node:fs';
import { synth, WITH_CAPACITY, WITH_CLOUD, WITH_SINK } from '../../infrastructure/assembly.ts';
import { sourcePages, stackPages } from './pages.ts';

for (const [path, text] of [
  ...(await sourcePages()),
  ...(await stackPages(synth({ ...WITH_SINK, ...WITH_CLOUD, ...WITH_CAPACITY }))),
])
  writeFileSync(path, text);
