/** The CDK app: adds the stack of the given context, or prints which settings are invalid. */
import { InvalidSettingsError } from '../shared/settings/invalid-settings.ts';
import { findKeptState } from './constructs/kept-state.ts';
import { addStack, bundles, missingAccess, readContext } from './stacks/rollcall-app.ts';

try {
  const wanted = readContext();
  if (bundles(wanted.app)) for (const line of missingAccess(process.env)) process.stderr.write(`${line}\n`);
  const { configuration, stackName } = wanted;
  addStack(
    wanted,
    configuration.state === 'kept' ? await findKeptState(stackName, configuration) : undefined,
  );
} catch (error) {
  if (!(error instanceof InvalidSettingsError)) throw error;
  // The message says what to change; a stack trace would not help.
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
