// Constant text. On AVR, constants lie in RAM unless they are put into flash explicitly, and there are 8 KiB of RAM;
// elsewhere, flash_text is an ordinary string.
#ifndef TEXT_H
#define TEXT_H

#ifdef __AVR__
#define FLASH __flash
#define TEXT(string)                                                                                                   \
    (__extension__({                                                                                                   \
        static const FLASH char text_[] = string;                                                                      \
        (flash_text) text_;                                                                                            \
    }))
#else
#define FLASH
#define TEXT(string) (string)
#endif

typedef const FLASH char *flash_text;

#endif
