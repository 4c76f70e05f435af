# A text that is a file here and a constant in the program: embed_text(<C file> <NAME> <text file>) makes a C file with
# `const char NAME[]`, its length NAME_SIZE, and NAME_SHA256, the hash of the bytes in hexadecimal.
function(embed_text target_file name source)
  file(READ ${source} bytes HEX)
  file(SHA256 ${source} hash)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," array "${bytes}")
  # A line of one array would be too long for some compilers.
  string(REGEX REPLACE "('.x..',('.x..',)('.x..',)('.x..',)('.x..',)('.x..',)('.x..',)('.x..',))" "\\1\n" array "${array}")
  set(text "#include <stddef.h>\nextern const char ${name}[];\nextern const size_t ${name}_SIZE;\n")
  string(APPEND text "const char ${name}[] = {${array}0};\nconst size_t ${name}_SIZE = sizeof ${name} - 1;\n")
  string(APPEND text "extern const char ${name}_SHA256[];\nconst char ${name}_SHA256[] = \"${hash}\";\n")
  file(GENERATE OUTPUT ${target_file} CONTENT "${text}")
endfunction()
