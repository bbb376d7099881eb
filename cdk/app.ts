/** What the CDK command runs. */
import { InvalidSettingsError } from '../shared/config/configuration.ts';
import { findKeptState } from './kept-state.ts';
import { addStack, readContext } from './stacks/rollcall-app.ts';

try {
  const wanted = readContext();
  const isKept = wanted.configuration.state === 'kept';
  addStack(wanted, isKept ? await findKeptState(wanted.stackName) : undefined);
} catch (error) {
  if (!(error instanceof InvalidSettingsError)) throw error;
  // The names and remedies are what the user needs, not our stack trace.
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
