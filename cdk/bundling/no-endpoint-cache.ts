/**
 * Stands in for `@aws-sdk/endpoint-cache` in the functions' bundles. DynamoDB's client makes a cache of discovered endpoints
 * and passes it on to nobody: of its commands none discovers its endpoint.
 */
export class EndpointCache {}
