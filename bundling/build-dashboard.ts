/** `node bundling/build-dashboard.ts FOLDER`: the files of the dashboard's page, for a checkout, which has no built ones. */
import { bundleDashboard } from './dashboard.ts';

const [folder = ''] = process.argv.slice(2);
await bundleDashboard(folder);
