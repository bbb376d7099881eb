/** What the CDK command runs. */
import { InvalidSettingsError } from '../shared/config/configuration.ts';
import { rollcallApp } from './stacks/rollcall-app.ts';

try {
  rollcallApp();
} catch (error) {
  if (!(error instanceof InvalidSettingsError)) throw error;
  // The names and remedies are what the user needs, not our stack trace.
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
