import type { NodeShape } from './node-shape.ts';
import type { Provider, ResolveRequest } from './provider.ts';
import { given } from './given.ts';

/** The question what a Node will be like, asked by `through`, of a provider that can tell. */
export function givenShape(
  provider: Provider,
  through: (request: ResolveRequest, ask: () => Promise<NodeShape | undefined>) => Promise<NodeShape | undefined>,
): Pick<Provider, 'nodeShapeOf'> {
  return given({
    nodeShapeOf: provider.nodeShapeOf && ((request) => through(request, async () => provider.nodeShapeOf?.(request))),
  });
}
