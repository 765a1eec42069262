import js from './build/node_modules/@eslint/js/src/index.js';

const GLOBALS = ['Buffer', 'TextDecoder', 'URL', 'WebAssembly', 'process', 'setImmediate'];

export default [
  { ignores: ['build/'] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, globals: Object.fromEntries(GLOBALS.map((name) => [name, 'readonly'])) },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-shadow': 'error',
      'no-unused-vars': ['error', { varsIgnorePattern: '^sink$' }], // plain.js keeps its outputs there
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
];
