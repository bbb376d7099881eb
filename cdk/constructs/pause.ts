/** Pauses a stack, and ends the pause: while it lasts nothing starts a function. All is decided here, so that no construct has to know about it. */
import { Aspects, type IAspect, type Stack } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnEventSourceMapping, CfnFunction, CfnUrl } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';

/** The function of a URL, which CDK makes below it. */
const functionOf = (url: CfnUrl): CfnFunction => {
  const found = url.node.scopes.flatMap(({ node: { defaultChild } }) => defaultChild ?? []);
  const owner = found.find((child) => child instanceof CfnFunction);
  if (!owner) throw new Error(`${url.node.path} belongs to no function`);
  return owner;
};

class Starts implements IAspect {
  readonly #isPaused: boolean;

  constructor(isPaused: boolean) {
    this.#isPaused = isPaused;
  }

  visit(node: IConstruct): void {
    // Said in both cases: what a template no longer says stays as it is.
    if (node instanceof CfnEventSourceMapping) node.enabled = !this.#isPaused;
    if (node instanceof CfnRule) node.state = this.#isPaused ? 'DISABLED' : 'ENABLED';
    // A function without concurrency answers 429; it and its URL stay.
    if (node instanceof CfnUrl && this.#isPaused) functionOf(node).reservedConcurrentExecutions = 0;
  }
}

/** If it is paused: disables event sources and rules, and takes all concurrency from functions that have a URL. Else it enables them again. */
export const setPaused = (stack: Stack, isPaused: boolean): void =>
  Aspects.of(stack).add(new Starts(isPaused));
