/** Real kubectls on the deployed stack, through `rollcall proxy`: the oldest and the newest of the machine, the shorter sessions. */
import { describe } from 'vitest';
import { describeKubectl } from '../clients/kubectl/suite.ts';
import { findKubectls } from '../clients/kubectl/versions.ts';
import { openStage } from './support/stage.ts';

const SESSIONS = ['get', 'change', 'pods', 'watch', 'drain'];

const found = findKubectls(process.env);
const kubectls = found.filter((kubectl) => kubectl === found.at(0) || kubectl === found.at(-1));
if (kubectls.length === 0) process.stdout.write('skipped: kubectl on the stack: this machine has none\n');

describe.skipIf(kubectls.length === 0)('kubectl on the stack', () => {
  describeKubectl(kubectls, () => SESSIONS, openStage);
});
