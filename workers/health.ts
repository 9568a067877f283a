import { createServer, type Server } from 'node:http';

/** Serves `/healthz` (the process answers) and `/readyz` (it does its work). */
export function serveHealth(host: string, port: number, isReady: () => boolean): Promise<Server> {
  const server = createServer((request, response) => {
    const ready = request.url === '/healthz' || (request.url === '/readyz' && isReady());
    const known = request.url === '/healthz' || request.url === '/readyz';
    response.writeHead(known ? (ready ? 200 : 503) : 404).end(known ? (ready ? 'ok' : 'not ready') : 'not found');
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}
