/** Runs some sessions of real kubectls on the deployed stack, through `rollcall proxy`: the oldest and newest on this machine. */
import { describe } from 'vitest';
import { describeKubectl } from '../../clients/kubectl/suite.ts';
import { findKubectls } from '../../clients/kubectl/versions.ts';
import { openStage } from '../support/stage.ts';

const OLDEST = ['get', 'watch'];
const NEWEST = ['change', 'watch', 'pods', 'drain', 'room'];

const found = findKubectls(process.env);
const newest = found.at(-1);
const kubectls = found.filter((kubectl) => kubectl === found[0] || kubectl === newest);
if (!newest) process.stdout.write('skipped: kubectl on the stack: this machine has none\n');

describe.skipIf(!newest)('kubectl on the stack', () => {
  describeKubectl(kubectls, (kubectl) => (kubectl === newest ? NEWEST : OLDEST), openStage);
});
