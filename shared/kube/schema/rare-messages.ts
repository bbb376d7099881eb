/**
 * The messages of groups that few clients use, as those of `messages.json`: a module whose kinds have such messages imports this one, and a cold start
 * that serves none of them reads neither.
 */
import { addPackages } from './messages.ts';
import packages from './rare-messages.json' with { type: 'json' };

addPackages(packages);
