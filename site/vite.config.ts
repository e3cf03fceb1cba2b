import { defineConfig } from 'vitest/config';

export default defineConfig({
  base: './', // under whatever path it is served
  build: { target: 'es2023', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  server: { fs: { allow: ['..'] } },
  test: { include: ['tests/*/*.ts'], testTimeout: 30_000, hookTimeout: 60_000 },
});
