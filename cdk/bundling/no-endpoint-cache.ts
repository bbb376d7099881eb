/**
 * Replaces `@aws-sdk/endpoint-cache` in the functions' bundles. DynamoDB's client creates the cache but never uses it: none
 * of its commands discovers endpoints.
 */
export class EndpointCache {}
